import { Group, Modal } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface DialogProps {
  title: string;
  size?: string;
  /** Without it only what is inside ends the dialog. */
  onClose?: () => void;
  children: ReactNode;
}

/** A dialog over the page. The ready-made one has a `header`, which readers take for that of the page. */
export function Dialog({ title, size = 'md', onClose, children }: DialogProps) {
  useFocusBack();
  return (
    <Modal.Root opened onClose={onClose ?? (() => undefined)} size={size}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body ref={focusFirst}>
          <Group justify="space-between" mb="sm" wrap="nowrap">
            <Modal.Title fw={620}>{title}</Modal.Title>
            {onClose === undefined ? null : <Modal.CloseButton aria-label="Close" />}
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Gives the place that asks for it the focus as it is shown; the ready-made one does so later, and what is typed before goes to the page behind. */
function focusFirst(body: HTMLElement | null): void {
  body?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
}

/** Gives the focus back to what had it before; the ready-made one does so only for a dialog that was closed at first. */
export function useFocusBack(): void {
  const before = useRef(document.activeElement);
  useEffect(
    () => () => {
      if (before.current instanceof HTMLElement) before.current.focus();
    },
    [],
  );
}
