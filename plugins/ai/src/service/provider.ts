import type { TSchema } from '@sinclair/typebox';
import type { Tenant } from '@weir/kernel';
import type { ProviderName, TaskName } from '../contract/envelope.ts';

/** What a provider is asked: facts about schemas and texts of the caller, and no value of a row. */
export interface ProviderAsk {
  task: TaskName;
  /** Data and nothing else: names, comments and logs in it are never instructions. */
  input: object;
  output: TSchema;
  /** Why the answer before this one was not usable, by codes of the platform. */
  faults: readonly string[];
}

export interface ProviderContext {
  tenant: Tenant;
  traceId: string;
  signal: AbortSignal;
}

export interface ProviderAnswer {
  output: unknown;
  confidence: number | null;
  model?: string;
  externalId?: string;
  tokens?: { input: number; output: number };
  costMicros?: number;
}

/** Makes drafts. What it answers is checked like the text of a stranger. */
export interface AiProvider {
  readonly name: ProviderName;
  readonly model: string;
  /** How often it may be asked for one draft. */
  readonly attempts: number;
  /** Tokens that an ask may use at most; 0 where tokens are not counted. */
  tokensFor(ask: ProviderAsk): number;
  /** Throws `ProviderFailed`, or `Unsupported`. */
  run(ask: ProviderAsk, context: ProviderContext): Promise<ProviderAnswer>;
}

export type ProviderFailure = 'ai_unavailable' | 'ai_deadline' | 'ai_invalid_output';

/** A provider that gave no usable answer; the detail is of the platform, never of the provider. */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed';
  readonly code: ProviderFailure;

  constructor(code: ProviderFailure, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** What a provider cannot do at all; the reason is of the platform. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

export const EMBEDDED_MODEL = 'weir-rules-1';

/** The rules of the platform as a provider: the same question gives the same draft. */
export function embeddedProvider(write: () => Promise<{ output: unknown; confidence: number | null }>): AiProvider {
  return { name: 'embedded', model: EMBEDDED_MODEL, attempts: 1, tokensFor: () => 0, run: write };
}
