import { changed, go } from "./state";

/** A choice that is in the address; the label of a quiet one is for readers of a screen only. */
export function Select({
  label,
  value,
  options,
  param,
  isQuiet,
}: {
  label: string;
  value: string;
  options: [string, string][];
  param: string;
  isQuiet?: boolean;
}) {
  return (
    <label class="select">
      <span class={isQuiet ? "hidden" : undefined}>{label}</span>
      <select
        value={value}
        onChange={(event) => {
          go(changed({ [param]: event.currentTarget.value }));
        }}
      >
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
