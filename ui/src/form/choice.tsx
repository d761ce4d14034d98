import { SegmentedControl, Select } from '@mantine/core';

/** So many alternatives, with so many signs in all, stand side by side on a small screen too. */
const MAX_ALTERNATIVES = 3;
const MAX_SIGNS = 36;

interface ChoiceProps {
  label: string;
  data: readonly { value: string; label: string }[];
  value: string;
  onChange(value: string): void;
}

/** One of several: a switch where all of them fit, else a list. */
export function Choice({ label, data, value, onChange }: ChoiceProps) {
  const signs = data.reduce((sum, one) => sum + one.label.length, 0);
  if (data.length <= MAX_ALTERNATIVES && signs <= MAX_SIGNS)
    return <SegmentedControl data={[...data]} value={value} onChange={onChange} aria-label={label} />;
  return (
    <Select
      data={data}
      value={value === '' ? null : value}
      onChange={(one) => one !== null && onChange(one)}
      allowDeselect={false}
      placeholder="Choose one"
      aria-label={label}
    />
  );
}
