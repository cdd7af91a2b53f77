import { useEffect } from "preact/hooks";
import { useHeadingFocus } from "./focus";
import { t } from "./messages";
import { hostOrigin } from "./route";
import type { Study } from "./types";

/** The end of a study: thanks, and where to go next. The recommendations may follow below. */
export function StudyEnd({ study }: { study: Study }) {
  const heading = useHeadingFocus();
  const { redirect, results } = study;
  const thanks = study.text ?? t("study.thanks");
  // A frame may not leave its page by itself.
  const leaving = study.automatic && redirect != null && hostOrigin === null;
  useEffect(() => {
    if (leaving) location.replace(redirect);
  }, [leaving]);
  return (
    <section class="study-end" data-results={results || undefined} aria-labelledby="study-end">
      {results ? (
        <h2 id="study-end">{thanks}</h2>
      ) : (
        <h1 id="study-end" ref={heading} tabIndex={-1}>
          {thanks}
        </h1>
      )}
      {redirect ? <Onward address={redirect} /> : !results && <p>{t("study.close")}</p>}
    </section>
  );
}

/** A link to the owner's next page, which the server has filled in. */
export function Onward({ address }: { address: string }) {
  return (
    <p class="actions">
      <a class="solid" href={address} target="_top" rel="noreferrer">
        {t("study.continue")}
      </a>
    </p>
  );
}
