/** What the workflow of a webhook is given: ids, never an address. */
export interface DeliveryInput {
  tenant_id: string;
  webhook_id: string;
}
