import { Button, CopyButton, type MantineSize } from '@mantine/core';
import { Check, Copy } from 'lucide-react';

interface CopyTextProps {
  text: string;
  /** What is copied, for those who hear the button. */
  what: string;
  size?: MantineSize | `compact-${MantineSize}`;
}

/** Copies a text and says that it did. */
export function CopyText({ text, what, size = 'compact-xs' }: CopyTextProps) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          size={size}
          variant="default"
          leftSection={copied ? <Check size={12} aria-hidden /> : <Copy size={12} aria-hidden />}
          aria-label={copied ? `${what} copied` : `Copy ${what}`}
          onClick={copy}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  );
}
