import { render } from "preact";
import { App } from "./app";
import { listen } from "./keys";

const root = document.getElementById("page")!;
root.textContent = "";
render(<App />, root);
listen();
