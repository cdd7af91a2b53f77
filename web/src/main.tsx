import { render } from "preact";
import { App } from "./App";
import { Conversation } from "./conversation";
import { postHeight } from "./host";
import { setLanguage } from "./messages";
import "./style/index.css";

const page = document.getElementById("page");
if (page !== null) {
  setLanguage(document.documentElement.lang); // the server has chosen it by the address and the browser
  const conversation = new Conversation();
  render(<App conversation={conversation} />, page);
  postHeight(page);
  void conversation.followAddress();
}
