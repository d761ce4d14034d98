import { Group, Stack, Text } from '@mantine/core';
import { getSyncCapabilities, getSyncRoute, type SyncRouteView } from '@weir/plugin-ontology/contract';
import { useRead } from '../../api/queries.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { useMay } from '../../session/person.ts';
import { Evidence } from './evidence.tsx';
import { MoveButton } from './move-dialog.tsx';
import { OpenSyncs } from './open-syncs.tsx';
import { OpenWork } from './open-work.tsx';

const REFRESH_MS = 5_000;
const again = () => REFRESH_MS;

/** Which contract new syncs follow and what is open of each; platform admins also see its proof, and move new syncs. */
export function RouteTab() {
  const mayMove = useMay(getSyncRoute);
  const capabilities = useRead(getSyncCapabilities, {}, { again });
  return (
    <Stack gap="lg">
      <Region query={capabilities} lines={2}>
        {({
          sync_contract_version: contract,
          supports_force_replay: canForce,
          supports_exact_run_polling: isExact,
        }) => (
          <FactList
            facts={[
              ['New syncs follow', `Contract ${contract}`],
              ['That holds for', 'every tenant and backing dataset'],
              ['A replay of every row', canForce ? 'can be forced' : 'cannot be forced'],
              ['Runs show', isExact ? 'what they attempted, and jobs' : 'neither what they attempted nor jobs'],
            ]}
          />
        )}
      </Region>
      {mayMove ? (
        <Platform />
      ) : (
        <Text size="sm" c="dimmed">
          The contract is one for the whole platform. Platform admins see its proof here, and move new syncs.
        </Text>
      )}
      <OpenSyncs />
    </Stack>
  );
}

/** The route of the platform: who set it, what is open of each contract over all tenants, and what it was proven by. */
function Platform() {
  const query = useRead(getSyncRoute, {}, { again });
  return (
    <Region query={query}>
      {(route) => (
        <Stack gap="lg">
          <Moves route={route} />
          <OpenWork route={route} />
          <Evidence
            evidence={route.evidence}
            title="What the route was proven by"
            absent="It was set at the installation, without a proof."
          />
        </Stack>
      )}
    </Region>
  );
}

const Moves = ({ route }: { route: SyncRouteView }) => (
  <Group gap="sm">
    <MoveButton route={route} />
    <Text size="sm" c="dimmed">
      {route.evidence === null
        ? 'Set at the installation'
        : `Moved to contract ${route.contract} by ${route.changed_by}`}{' '}
      <ShowTime at={route.changed_at} inherit />
    </Text>
  </Group>
);
