import { problem } from '@weir/kernel/contract';

/** Codes of transforms. */
export const transformProblems = {
  transformNameTaken: problem({
    code: 'transform_name_taken',
    status: 409,
    title: 'The name is taken',
    detail: 'Another transform of the tenant has this name.',
    hint: 'Choose another name, or change the transform that has it.',
  }),
  outputTaken: problem({
    code: 'output_taken',
    status: 409,
    title: 'The output is taken',
    detail: 'Another producer of the tenant writes this table.',
    hint: 'Choose another table in `output`.',
  }),
  outputRefused: problem({
    code: 'output_refused',
    status: 422,
    title: 'The output is refused',
    detail: 'A transform writes a table of the layer silver or gold in the scope of its tenant.',
    hint: 'Set `output` to <layer>.<scope>.<table> with the scope of your tenant, which GET /tenants shows.',
  }),
};
