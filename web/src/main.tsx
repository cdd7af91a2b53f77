import { render } from "preact";
import { App } from "./App";
import { Conversation } from "./conversation";
import { postHeight } from "./host";
import "./style/index.css";

const page = document.getElementById("page");
if (page !== null) {
  const conversation = new Conversation();
  render(<App conversation={conversation} />, page);
  postHeight(page);
  void conversation.followAddress();
}
