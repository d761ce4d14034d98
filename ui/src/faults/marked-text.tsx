import { Code } from '@mantine/core';
import { createElement, Fragment } from 'react';

/** A sentence whose names stand between backticks. */
export function MarkedText({ text }: { text: string }) {
  const parts = text.split('`').map((part, at) => (at % 2 === 1 ? createElement(Code, null, part) : part));
  return createElement(Fragment, null, ...parts);
}
