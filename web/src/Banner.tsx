import type { Conversation } from "./conversation";

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
            {waiting}{" "}
            {pending !== null && (
              <>
                Your answer, <em>{pending}</em>, is safe.{" "}
              </>
            )}
            Trying again…
          </span>
          <button type="button" class="quiet" onClick={() => conversation.connection.retryNow()}>
            Try now
          </button>
        </p>
      )}
      {notice !== null && (
        <p class="banner" data-kind="notice">
          <span>{notice}</span>
          <button type="button" class="quiet" onClick={() => conversation.dismissNotice()}>
            OK
          </button>
        </p>
      )}
    </div>
  );
}
