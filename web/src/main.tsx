import { render } from "preact";
import { App } from "./App";
import { Conversation } from "./conversation";
import { postHeight } from "./host";
import { setLanguage } from "./messages";
import { firstLanguage, followMode, published } from "./published";
import { requestedLanguage } from "./route";
import "./style/index.css";

const page = document.getElementById("page");
if (page !== null) {
  // A server has chosen the language and the mode by the address and the browser.
  setLanguage(published === null ? document.documentElement.lang : firstLanguage(published, requestedLanguage));
  if (published !== null) followMode();
  const conversation = new Conversation();
  page.replaceChildren();
  render(<App conversation={conversation} />, page);
  postHeight(page);
  void conversation.followAddress();
}
