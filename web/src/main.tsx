import { render } from "preact";
import { App } from "./App";
import { Conversation } from "./conversation";
import { tellHeight } from "./host";
import "./style/index.css";

const page = document.getElementById("page");
if (page !== null) {
  const talk = new Conversation();
  render(<App talk={talk} />, page);
  tellHeight(page);
  void talk.enter();
}
