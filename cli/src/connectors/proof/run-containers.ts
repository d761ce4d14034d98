import { askEngine, engineJson } from '@weir/connector-images/proof';
import { LABEL } from '@weir/connector-runtime';

/** A container that an engine has started for a run of the platform. */
export interface RunContainer {
  id: string;
  execution: string;
  attempt: number;
  /** The id of its image. */
  image: string;
}

/** What an engine was seen to do for runs, by the labels of their containers. */
export interface RunContainers {
  /** Asks what was started since the last time; an engine that does not answer is asked again later. */
  note(): Promise<void>;
  /** All that was started for a run, oldest first. */
  of(run: string): Promise<RunContainer[]>;
  /** Those of a run that run now. */
  running(run: string): Promise<RunContainer[]>;
  /** How many containers of these runs are there, running or not. */
  left(runs: readonly string[]): Promise<number>;
}

const SHORT_ID = 12;
const MS_PER_SECOND = 1_000;

type Labels = Readonly<Record<string, string>>;

/** The first characters of an id, as engines print it. */
export const shortId = (id: string): string => id.replace(/^sha256:/, '').slice(0, SHORT_ID);

/** Watches the engine behind a socket from now on. It keeps few events itself: `note` must be called now and then. */
export function runContainers(socketPath: string): RunContainers {
  const started = new Map<string, RunContainer>();
  let since = Date.now();
  let noted = Promise.resolve();
  const read = async () => {
    const until = Date.now();
    const filters = { type: ['container'], event: ['start'], label: [LABEL.execution] };
    const time = (ms: number) => (ms / MS_PER_SECOND).toFixed(3);
    const query = { since: time(since), until: time(until), filters: JSON.stringify(filters) };
    const { status, text } = await askEngine(socketPath, { path: `/events?${new URLSearchParams(query)}` });
    if (status !== 200) return;
    for (const line of text.split('\n').filter((line) => line !== '')) {
      const { Actor: actor } = JSON.parse(line) as { Actor: { ID: string; Attributes: Labels } };
      started.set(actor.ID, containerOf(actor.ID, actor.Attributes.image, actor.Attributes));
    }
    since = until;
  };
  const note = () => {
    noted = noted.then(read).catch(() => undefined);
    return noted;
  };
  const listed = (run: string, all: boolean) => {
    const filters = JSON.stringify({ label: [`${LABEL.execution}=${run}`] });
    const query = new URLSearchParams({ filters, ...(all ? { all: '1' } : {}) });
    const path = `/containers/json?${query}`;
    return engineJson<{ Id: string; ImageID: string; Labels: Labels }[]>(socketPath, { path });
  };
  return {
    note,
    async of(run) {
      await note();
      return [...started.values()].filter(({ execution }) => execution === run);
    },
    async running(run) {
      return (await listed(run, false)).map(({ Id, ImageID, Labels: labels }) => containerOf(Id, ImageID, labels));
    },
    async left(runs) {
      return (await Promise.all(runs.map((run) => listed(run, true)))).flat().length;
    },
  };
}

function containerOf(id: string, image: string | undefined, labels: Labels): RunContainer {
  const { [LABEL.execution]: execution = '', [LABEL.attempt]: attempt = '' } = labels;
  return { id, execution, attempt: Number(attempt), image: image ?? '' };
}
