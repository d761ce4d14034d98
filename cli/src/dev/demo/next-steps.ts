import type { DevState } from '../folder/state.ts';
import { DEMO_TENANT } from './demo-data.ts';

const AIRPORTS = `bronze.${DEMO_TENANT}.vega__airports`;

/** The last screen of a start: what to do next, and the addresses; the pages come last. */
export function nextSteps(state: DevState, demo: boolean): string[] {
  const { ui_url: pages } = state.workflow_engine;
  return [
    '  running; Ctrl-C stops everything',
    '',
    '  In another terminal, in this folder:',
    '  your turn      ./weir load my.csv',
    ...(demo ? [`  look           ./weir datasets preview ${AIRPORTS}`, '  other engines  ./weir dev connect'] : []),
    `  who you are    ./weir whoami; ./weir login for another demo user`,
    '',
    `  API and docs   ${state.docs_url}`,
    ...(pages === undefined ? [] : [`  workflows      ${pages}`]),
    `  Open ${state.ui_url}`,
  ];
}
