import { Alert } from '@mantine/core';

/** How many fields of a form need a change. */
export function ErrorCount({ errors }: { errors: object }) {
  const count = countErrors(errors);
  if (count === 0) return null;
  return (
    <Alert role="alert" color="red" variant="outline" className="panel">
      {count === 1 ? 'One field needs a change.' : `${count} fields need a change.`}
    </Alert>
  );
}

function countErrors(errors: object): number {
  return Object.values(errors).reduce<number>((sum, one) => {
    if (typeof one !== 'object' || one === null) return sum;
    return 'message' in one && 'type' in one ? sum + 1 : sum + countErrors(one);
  }, 0);
}
