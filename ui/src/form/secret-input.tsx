import { PasswordInput, type PasswordInputProps, Textarea } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { type Ref, useLayoutEffect, useRef } from 'react';

interface SecretInputProps extends Pick<PasswordInputProps, 'description' | 'error' | 'name' | 'withAsterisk'> {
  ref?: Ref<HTMLElement>;
  label: string;
  value: string;
  /** Several lines, such as a key. */
  isLong?: boolean;
  onValue(value: string): void;
  onBlur?: () => void;
}

/**
 * An input of a secret. The value lies in the property of the element alone: React writes that of a controlled input into
 * the page as well, as an attribute or text.
 */
export function SecretInput({ ref, label, value, isLong = false, onValue, ...more }: SecretInputProps) {
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const merged = useMergedRef(element, ref as Ref<HTMLElement> | undefined);
  useLayoutEffect(() => {
    if (element.current !== null && element.current.value !== value) element.current.value = value;
  }, [value]);
  const common = {
    ...more,
    ref: merged,
    label,
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => onValue(event.currentTarget.value),
  };
  if (isLong) return <Textarea {...common} autosize minRows={3} spellCheck={false} />;
  return <PasswordInput {...common} visibilityToggleButtonProps={{ 'aria-label': `Show ${label}` }} />;
}
