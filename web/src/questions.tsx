export function Questions(_: { at: number }) {
  return <p>…</p>;
}
