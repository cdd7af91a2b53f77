import type { Conversation } from "./conversation";

interface Props {
  lost: boolean;
  /** The answer that waits to be stored. */
  kept: string | null;
  notice: string | null;
  talk: Conversation;
}

/** Says calmly what is wrong, and that nothing is lost. */
export function Banner({ lost, kept, notice, talk }: Props) {
  return (
    <div class="banners" role="status">
      {lost && (
        <p class="banner" data-kind="lost">
          <span>
            The server cannot be reached.{" "}
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
