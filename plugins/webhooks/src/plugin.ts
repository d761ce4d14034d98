import { Type } from '@sinclair/typebox';
import { createEgress, egressSettings } from '@weir/egress';
import { contribute, definePlugin, WorkflowEngine } from '@weir/kernel';
import { RunChanges, RunDrops } from '@weir/kernel/contract';
import { ApplyKinds } from '@weir/plugin-apply/contract';
import { TableBlocks, TableCommits } from '@weir/plugin-datasets/contract';
import { egressVariables, UpkeepRuns } from '@weir/plugin-platform/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { routes } from './api/routes.ts';
import { webhookProblems } from './contract.ts';
import { DeliveryEntity, WebhookEntity } from './model/entities.ts';
import { deliveryService } from './service/deliveries.ts';
import { webhookDocuments } from './service/document-kind.ts';
import { webhookOutbox } from './service/outbox.ts';
import { webhookSeals } from './service/seal.ts';
import { webhookSweep } from './service/sweep.ts';
import { wakeBy } from './service/wake.ts';
import { webhookService } from './service/webhooks.ts';

/** Events of a tenant, posted to the addresses that it names. */
export default definePlugin({
  id: 'webhooks',
  settings: Type.Object(egressVariables),
  entities: [WebhookEntity, DeliveryEntity],
  problems: webhookProblems,
  setup(kernel) {
    const seals = webhookSeals(kernel);
    const wake = wakeBy(kernel.use(WorkflowEngine), kernel.log);
    const outbox = webhookOutbox(wake, {
      speakByParts: () =>
        kernel.contributions(RunSubjectNames).flatMap(({ kinds, speaks }) => (speaks === 'parts' ? kinds : [])),
      silent: () => kernel.contributions(UpkeepRuns),
    });
    const { check } = createEgress(egressSettings(kernel.settings));
    return {
      routes: routes({
        webhooks: webhookService({ kernel, seals, wake, check }),
        deliveries: deliveryService({ kernel, outbox, wake }),
      }),
      contributes: [
        contribute(RunChanges, outbox.runChanged),
        contribute(RunDrops, outbox.runsDropped),
        contribute(TableCommits, outbox.tableCommitted),
        contribute(TableBlocks, outbox.tableBlocked),
        contribute(ApplyKinds, webhookDocuments),
      ],
      duties: [webhookSweep({ kernel, seals, wake })],
    };
  },
});
