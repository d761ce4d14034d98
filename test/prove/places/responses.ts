import type { Place } from '../proof.ts';

/** Answers are looked through as they come; the control is what everyone may see of a source. */
export const responses: Place = {
  name: 'responses',
  about: 'headers and body of every answer of the API',
  async leak({ platform, fault }, control) {
    const body = {
      name: 'control-answers',
      pattern_id: 'files',
      source_config: { path: '/nowhere', glob: control.text },
    };
    const { status } = await platform.call({ method: 'POST', path: '/sources', body, label: '/sources (control)' });
    if (status !== 201) fault(`the control of the answers was answered ${status}`);
  },
};
