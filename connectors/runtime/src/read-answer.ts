import {
  CODE_PATTERN,
  type ConnectionStatus,
  type ConnectorSpec,
  type Message,
  type TraceError,
} from '@weir/connector-sdk';
import { CONNECTOR_ERRORS, ConnectorError, type ConnectorErrorCode } from './connector-error.ts';
import type { ConnectorExit, ConnectorProcess } from './connector-runtime.ts';
import { answerDeadlines, type Deadlines, watchDeadlines } from './deadlines.ts';
import { endOf } from './end-of.ts';
import { controlConfig } from './evidence.ts';
import { saidTail, saysServerDown } from './last-words.ts';
import { createRouter } from './router.ts';
import { stopLate } from './stop-late.ts';
import { type Failure, platformFailure, runFailure, traceFailure } from './verdict.ts';

/** How many messages of one verb are kept; a connector that says more breaks the protocol. */
const MAX_MESSAGES = 10_000;

export type Collected = {
  readonly messages: readonly Message[];
  readonly exit: ConnectorExit;
  readonly truncated: boolean;
  readonly broken: ConnectorErrorCode | undefined;
  /** The end of what it wrote to stderr, and to stdout beside its messages. */
  readonly words: string;
};

export type AnswerOptions = {
  readonly deadlines?: Deadlines;
  /** What the connector says beside its answer: LOG and TRACE messages, of any shape, and lines that are no messages; unmasked. */
  readonly onSaid?: (said: Message | string) => void;
  /** Told the configuration that the connector wants to be kept, with renewed credentials in it; unmasked, to be kept at once. */
  readonly onRotated?: (config: Readonly<Record<string, unknown>>) => void;
};

/**
 * Reads a `spec`, `check` or `discover` run to its end and keeps every message but logs. Never rejects for what
 * the connector printed, or for what it did not print in its time: that is in `broken`, and the connector is stopped.
 */
export async function collectMessages(connector: ConnectorProcess, options: AnswerOptions = {}): Promise<Collected> {
  const { deadlines = answerDeadlines(), onRotated = () => undefined } = options;
  const tail = saidTail();
  const onSaid = (said: Message | string) => {
    tail.take(said);
    options.onSaid?.(said);
  };
  const messages: Message[] = [];
  const router = createRouter({
    streams: [],
    onRecords: () => undefined,
    onOversized: () => undefined,
    onLogLine: onSaid,
    onMessage(message, line) {
      if (message.type === 'LOG' || message.type === 'TRACE') onSaid(message);
      if (message.type === 'LOG') return;
      const rotated = message.type === 'CONTROL' ? controlConfig(line) : undefined;
      if (rotated !== undefined) onRotated(rotated);
      if (messages.length >= MAX_MESSAGES) throw new ConnectorError('protocol_violation');
      messages.push(message);
    },
  });
  let late: ConnectorErrorCode | undefined;
  const watch = watchDeadlines(deadlines, (code) => {
    void stopLate(connector, code, (told) => {
      late = told;
    });
  });
  try {
    for await (const chunk of connector.stdout) {
      watch.heard();
      watch.progressed();
      router.push(chunk as Buffer);
    }
    const { truncated } = router.end();
    const exit = await endOf(connector);
    return { messages, exit, truncated, broken: late, words: tail.words(connector) };
  } catch (error) {
    const exit = await connector.stop();
    const broken = error instanceof ConnectorError ? error.code : 'connector_crashed';
    return { messages, exit, truncated: false, broken: late ?? broken, words: tail.words(connector) };
  } finally {
    watch.end();
  }
}

export type AnswerType = 'SPEC' | 'CONNECTION_STATUS' | 'CATALOG';
export type Answer<T extends AnswerType> =
  | { readonly ok: true; readonly message: Extract<Message, { type: T }> }
  | { readonly ok: false; readonly failure: Failure };

/**
 * The one answer that a verb is run for: the last message of that type, accepted only if the run ended well.
 * A CONNECTION_STATUS of FAILED is an answer, not a failure (`readCheck` makes one of it); a SPEC that is none is
 * `connector_spec_invalid`.
 */
export async function readAnswer<T extends AnswerType>(
  connector: ConnectorProcess,
  type: T,
  options: AnswerOptions = {},
): Promise<Answer<T>> {
  const { messages, ...run } = await collectMessages(connector, options);
  const error = messages.map(errorOf).find((found) => found !== undefined);
  const failure = runFailure({ ...run, error }, error);
  if (failure !== undefined) return { ok: false, failure };
  const message = messages.findLast((found): found is Extract<Message, { type: T }> => found.type === type);
  if (message !== undefined && type === 'SPEC' && !isSpec((message as { spec?: Partial<ConnectorSpec> }).spec)) {
    return { ok: false, failure: platformFailure('connector_spec_invalid') };
  }
  if (message !== undefined) return { ok: true, message };
  return { ok: false, failure: error === undefined ? platformFailure('connector_no_answer') : traceFailure(error) };
}

/** Whether it describes a configuration: a schema that an object can fit. */
function isSpec(spec: Partial<ConnectorSpec> | undefined): boolean {
  const schema: unknown = spec?.connectionSpecification;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false;
  const { type = 'object', properties = {} } = schema as { type?: unknown; properties?: unknown };
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  return isObject && typeof properties === 'object' && properties !== null && !Array.isArray(properties);
}

function errorOf(message: Message): TraceError | undefined {
  return message.type === 'TRACE' && message.trace.type === 'ERROR' ? message.trace.error : undefined;
}

/**
 * Reads a `check` run to its end: undefined when the connector accepts the configuration. Its FAILED comes before the errors
 * that it reports beside it, as that is what it says to people.
 */
export async function readCheck(
  connector: ConnectorProcess,
  options: AnswerOptions = {},
): Promise<Failure | undefined> {
  const { messages, ...run } = await collectMessages(connector, options);
  const status = messages.map(statusOf).findLast((found) => found !== undefined);
  const error = messages.map(errorOf).find((found) => found !== undefined);
  const own = status?.status === 'FAILED' ? refusalOf(status, error) : error;
  const failure = runFailure({ ...run, error: own }, own);
  if (failure === undefined) return status?.status === 'SUCCEEDED' ? undefined : platformFailure('connector_no_answer');
  if (status?.status !== 'FAILED' || failure.reported === undefined) return failure;
  const said = typeof status.message === 'string' && status.message.trim() !== '' ? { said: status.message } : {};
  if (!Object.hasOwn(CONNECTOR_ERRORS, failure.code)) return { ...failure, ...said };
  const { code, hint, origin } = platformFailure('connector_check_failed');
  return { ...failure, code, hint, origin: failure.retryable ? failure.origin : origin, ...said };
}

/** A FAILED as an error; what it does not say of itself, the error beside it says, then its words; else it is the configuration's. */
function refusalOf(status: Partial<ConnectionStatus>, beside: TraceError | undefined): TraceError {
  const { message, code, hint, origin, retry_at } = status;
  const worded = saysServerDown(message) ? 'transient_error' : 'config_error';
  const { failure_type = beside?.failure_type ?? worded } = status;
  const ours = typeof code === 'string' && CODE_PATTERN.test(code) ? { internal_message: code } : {};
  return {
    message: typeof message === 'string' ? message : '',
    failure_type,
    ...ours,
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(origin === undefined ? {} : { origin }),
    ...(retry_at === undefined ? {} : { retry_at }),
  };
}

/** What a connector says may be of any shape. */
function statusOf(message: Message): Partial<ConnectionStatus> | undefined {
  if (message.type !== 'CONNECTION_STATUS') return undefined;
  const status: unknown = message.connectionStatus;
  return typeof status === 'object' && status !== null ? status : undefined;
}
