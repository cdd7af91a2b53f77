import type { Conversation } from "./conversation";

interface Props {
  /** Why something waits for the server, if it does. */
  lost: string | null;
  /** The answer that waits to be stored. */
  kept: string | null;
  notice: string | null;
  talk: Conversation;
}

/** Says calmly what is wrong, and that nothing is lost. */
export function Banner({ lost, kept, notice, talk }: Props) {
  return (
    <div class="banners" role="status">
      {lost !== null && (
        <p class="banner" data-kind="lost">
          <span>
            {lost}{" "}
            {kept !== null && (
              <>
                Your answer, <em>{kept}</em>, is kept.{" "}
              </>
            )}
            Trying again…
          </span>
          <button type="button" class="quiet" onClick={() => talk.connection.tryNow()}>
            Try now
          </button>
        </p>
      )}
      {notice !== null && (
        <p class="banner" data-kind="notice">
          <span>{notice}</span>
          <button type="button" class="quiet" onClick={() => talk.dismiss()}>
            All right
          </button>
        </p>
      )}
    </div>
  );
}
