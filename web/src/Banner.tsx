import type { Conversation } from "./conversation";
import { parts, t } from "./messages";

interface Props {
  /** Why a request waits for the server, if one does. */
  waiting: string | null;
  /** The answer that waits to be stored. */
  pending: string | null;
  notice: string | null;
  conversation: Conversation;
}

/** Says what is wrong, and that nothing is lost. */
export function Banner({ waiting, pending, notice, conversation }: Props) {
  return (
    <div class="banners" role="status">
      {waiting !== null && (
        <p class="banner" data-kind="waiting">
          <span>
            {pending === null
              ? t("banner.waiting", { reason: waiting })
              : parts("banner.safe", { reason: waiting, answer: <em>{pending}</em> })}
          </span>
          <button type="button" class="quiet" onClick={() => conversation.connection.retryNow()}>
            {t("banner.retry")}
          </button>
        </p>
      )}
      {notice !== null && (
        <p class="banner" data-kind="notice">
          <span>{notice}</span>
          <button type="button" class="quiet" onClick={() => conversation.dismissNotice()}>
            {t("banner.ok")}
          </button>
        </p>
      )}
    </div>
  );
}
