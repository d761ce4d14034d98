import { Text } from '@mantine/core';
import type { TenantLimitsView } from '@weir/plugin-platform/contract';
import { CircleAlert } from 'lucide-react';
import { ShowTime } from '../../parts/show-time.tsx';
import { ToneWord } from '../../parts/status-word.tsx';
import { isReached, LIMIT_WORDS, LIMITS, usedText } from './limit-draft.ts';

/** What a tenant uses of its limits. */
export function LimitFacts({ limits }: { limits: TenantLimitsView }) {
  const { changed_by: who, changed_at: at } = limits;
  return (
    <div className="panel">
      <dl className="facts" aria-label={`Limits of ${limits.tenant}`}>
        {LIMITS.map((name) => (
          <div key={name}>
            <dt>{LIMIT_WORDS[name].label}</dt>
            <dd>
              {usedText(name, limits)}
              {isReached(name, limits) ? (
                <Text size="sm" component="div">
                  <ToneWord icon={CircleAlert} tone="bad" word="No further run starts" />
                </Text>
              ) : null}
            </dd>
          </div>
        ))}
      </dl>
      <Text size="sm" c="dimmed" px="md" pb="sm" component="div">
        {who === null || at === null ? (
          'As the deployment has it for every tenant.'
        ) : (
          <>
            Set by {who} <ShowTime at={at} />.
          </>
        )}
      </Text>
    </div>
  );
}
