import { useState } from "preact/hooks";

/** A picture, unless it cannot be loaded. It has no text alternative: the title beside it says what it shows. */
export function Picture({ address, lazy = false }: { address: string | null; lazy?: boolean }) {
  const [broken, setBroken] = useState<string | null>(null);
  if (address === null || address === broken) return null;
  return <img class="picture" src={address} alt="" decoding="async" loading={lazy ? "lazy" : "eager"} onError={() => setBroken(address)} />;
}
