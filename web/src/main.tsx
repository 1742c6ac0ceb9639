import { render } from "preact";
import { App } from "./app";
import { listen } from "./keys";
import { go } from "./state";

const root = document.getElementById("page")!;
root.textContent = "";
render(<App />, root);
listen();

// In a notebook's frame the page has no address of its own: a link's # would be that of the notebook.
if (location.protocol === "about:") {
  addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a[href^='#/']");
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    go(link.getAttribute("href")!);
  });
}
