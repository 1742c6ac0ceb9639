export function Compare(_: { at: number }) {
  return <p>…</p>;
}
