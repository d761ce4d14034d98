import { problem } from '@weir/kernel/contract';

/** Codes of webhooks. */
export const webhookProblems = {
  webhookUrlRefused: problem({
    code: 'webhook_url_refused',
    status: 422,
    title: 'The address is refused',
    detail: 'The platform may not send to this address: reason says why.',
    hint: 'Give a public https address. An operator opens private networks with WEIR_EGRESS_ALLOW, and ports with WEIR_EGRESS_PORTS.',
  }),
  webhookNameTaken: problem({
    code: 'webhook_name_taken',
    status: 409,
    title: 'The name is taken',
    detail: 'Another webhook of the tenant has this name.',
    hint: 'Choose another name, or change the webhook that has it.',
  }),
  webhookLimit: problem({
    code: 'webhook_limit',
    status: 409,
    title: 'Too many webhooks',
    detail: 'The tenant has as many webhooks as it may have.',
    hint: 'Delete one that is not needed; one webhook can take several events.',
  }),
  webhookPaused: problem({
    code: 'webhook_paused',
    status: 409,
    title: 'The webhook is paused',
    detail: 'Nothing is sent to a paused webhook.',
    hint: 'Set its status to active, then ask again.',
    next: [
      {
        operation: 'webhooks.change_webhook',
        params: { webhook_id: '{webhook_id}' },
        text: 'Set the status of the webhook to active',
      },
    ],
  }),
  deliveryPending: problem({
    code: 'delivery_pending',
    status: 409,
    title: 'The delivery is pending',
    detail: 'The event has not been delivered yet; it is tried again by itself.',
    hint: 'Look at the delivery to see when its next attempt is.',
  }),
  webhookKeyMissing: problem({
    code: 'webhook_key_missing',
    status: 503,
    title: 'No key to seal webhooks',
    detail: 'Addresses and secrets of webhooks are kept sealed, and this deployment has no key for it.',
    hint: 'Ask an operator to set WEIR_CREDENTIAL_KEY_FILE.',
    lasting: true,
  }),
};
