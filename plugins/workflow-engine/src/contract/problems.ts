import { problem } from '@weir/kernel/contract';

/** Error codes of the workflow-engine plugin. */
export const workflowEngineProblems = {
  featureNotConfigured: problem({
    code: 'feature_not_configured',
    status: 501,
    title: 'Feature not configured',
    detail: 'Nothing in this deployment brings the feature that the member feature names.',
    hint: 'Add the plugin that brings it to platform.json.',
    next: [{ operation: 'platform.list_plugins', text: 'List the plugins that are there' }],
  }),
};
