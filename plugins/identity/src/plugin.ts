import { contribute, definePlugin, Platform } from '@weir/kernel';
import { AccessRules, AuditTrails, TokenReaders } from '@weir/kernel/contract';
import { ApplyKinds } from '@weir/plugin-apply/contract';
import { datasetProblems, Samples } from '@weir/plugin-datasets/contract';
import { accessKind } from './access-policy/kind.ts';
import { ApiTokenEntity } from './api-token/entity.ts';
import { readTokens } from './api-token/read-tokens.ts';
import { tokenService } from './api-token/service.ts';
import { identityProblems } from './contract.ts';
import { entityResolutionKind } from './entity-resolution/kind.ts';
import { whoCalls } from './me/who-calls.ts';
import { PersonEntity } from './person/entity.ts';
import { recordPeople } from './person/record-people.ts';
import { personService } from './person/service.ts';
import { watchPeople } from './person/watch-people.ts';
import { policyDocuments } from './policy/document-kind.ts';
import { PolicyEntity, PolicyVersionEntity } from './policy/entity.ts';
import { policyService } from './policy/service.ts';
import { routes } from './routes.ts';
import { identitySettings } from './settings.ts';

/** What a dry run over a dataset answers as every other way to its rows does. */
const { invalidDatasetId, datasetNotReadable, datasetUnreadable, queryTimeout, queryTooLarge } = datasetProblems;
const ofSamples = { invalidDatasetId, datasetNotReadable, datasetUnreadable, queryTimeout, queryTooLarge };

/** Identity: API tokens, identity policies and the people who were seen. */
export default definePlugin({
  id: 'identity',
  settings: identitySettings,
  entities: [ApiTokenEntity, PersonEntity, PolicyEntity, PolicyVersionEntity],
  problems: { ...identityProblems, ...ofSamples },
  setup(kernel) {
    const people = recordPeople(kernel);
    const makerDays = kernel.settings.WEIR_TOKEN_MAKER_DAYS;
    const reading = readTokens({ ...kernel, makerDays });
    const { endpoints } = kernel.use(Platform);
    const access = accessKind({ db: kernel.db, log: kernel.log, endpoints });
    const entities = entityResolutionKind({ samples: kernel.use(Samples) });
    const watch = watchPeople(people);
    const kinds = new Map([access.kind, entities].map((one) => [one.kind, one]));
    return {
      routes: routes({
        tokens: tokenService({ db: kernel.db, people, reading, makerDays }),
        policies: policyService({ db: kernel.db, kinds }),
        me: whoCalls(kernel.tenants),
        users: personService({ db: kernel.db, people }),
      }),
      contributes: [
        contribute(TokenReaders, reading),
        contribute(AccessRules, watch.rule),
        contribute(AccessRules, access.rule),
        contribute(AuditTrails, watch.trail),
        contribute(ApplyKinds, policyDocuments({ kernel, kinds })),
      ],
      async stop() {
        await Promise.all([people.settled(), reading.settled()]);
      },
    };
  },
});
