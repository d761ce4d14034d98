import type { Test } from 'tap';

export const ROOT = 0;
export const OTHER_USER = 65_534;

/** Has the rest of a test of root's run as another user, who is in root's group still: root may remove anything, which shows nothing. */
export function asOtherUser(t: Test): void {
  process.seteuid?.(OTHER_USER);
  t.teardown(() => process.seteuid?.(ROOT));
  t.intercept(process, 'getuid', { value: () => OTHER_USER });
}
