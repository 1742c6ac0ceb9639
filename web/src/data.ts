// The page's data: the view, which is in the page as JSON, and the chunks, which are decoded when needed.
import type { ReportView } from "./view";

export const report: ReportView = JSON.parse(document.getElementById("view")!.textContent!);

const cache = new Map<string, Promise<Uint8Array>>();
const KEPT = 400;

/** The content of a chunk, decompressed. */
export function chunk(name: string): Promise<Uint8Array> {
  let found = cache.get(name);
  if (!found) {
    found = read(name);
    cache.set(name, found);
    if (cache.size > KEPT) cache.delete(cache.keys().next().value!);
  }
  return found;
}

/** The content of a chunk of JSON. */
export async function json<T>(name: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await chunk(name))) as T;
}

async function read(name: string): Promise<Uint8Array> {
  const packed = report.source === "file" ? bytes((await present(name)).textContent!) : await served(name);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A chunk from the server of the page; after a review the query says who asks. */
async function served(name: string): Promise<ArrayBuffer> {
  const response = await fetch(`/chunk/${name}${location.search}`);
  if (!response.ok) throw new Error(`the server has no ${name} (${response.status}); is ragauge still running?`);
  return response.arrayBuffer();
}

/** The element of a chunk, once the browser has read that far. */
function present(name: string): Promise<HTMLElement> {
  return new Promise((resolve, reject) => {
    const look = () => {
      // The element that follows shows that this one is complete.
      const element = document.getElementById(name);
      if (element && (element.nextSibling || document.readyState !== "loading")) resolve(element);
      else if (document.readyState === "loading") setTimeout(look, 15);
      else reject(new Error(`the file has no ${name}: it is incomplete`));
    };
    look();
  });
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  const decode = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (decode) return decode.call(Uint8Array, base64);
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) out[at] = text.charCodeAt(at);
  return out;
}
