import { changed, go } from "./state";

/** A choice that is in the address. */
export function Select({
  label,
  value,
  options,
  param,
}: {
  label: string;
  value: string;
  options: [string, string][];
  param: string;
}) {
  return (
    <label class="select">
      <span>{label}</span>
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
