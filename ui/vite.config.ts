import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { withoutContractTexts } from './contract-texts.ts';

/** Contracts are declared by calls of these; what a page does not use is left out. */
const DECLARING = ['Type', 'endpoint', 'Closed', 'OneOf', 'Nullable', 'Page', 'listQuery', 'problem', 'permission'];
const DECLARING_ALSO = ['servicePermission', 'platformPermission', 'knownPermission', 'webhookPermission'];
const SCHEDULES = ['scheduleEndpoints', 'subjectSchedule'];
const POINTS = ['service', 'contributionPoint', 'Word', 'Time', 'Name'];

export default defineConfig({
  plugins: [react(), withoutContractTexts()],
  // Other tools of the workspace have an older React.
  resolve: {
    dedupe: ['react', 'react-dom'],
    conditions: ['@weir/source', 'module', 'browser', 'production', 'import'],
  },
  build: {
    outDir: process.env.WEIR_UI_OUT ?? '../plugins/ui/app',
    emptyOutDir: true,
    // The policy of the page refuses fonts and images in data: addresses.
    assetsInlineLimit: 0,
    // Colours of both schemes are written with `light-dark()`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // One file for what every page needs: a browser asks an HTTP/1.1 server for six at a time.
            { name: 'shell', tags: ['$initial'] },
          ],
        },
      },
      treeshake: {
        manualPureFunctions: [...DECLARING, ...DECLARING_ALSO, ...POINTS, ...SCHEDULES],
        moduleSideEffects: [{ test: /\/src\/contract[./]/, sideEffects: false }],
      },
    },
  },
});
