import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.css';
import '@weir/page-style/tokens.css';
import './app/app.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { theme } from './app/theme.ts';
import { ZoneProvider } from './app/zone.tsx';
import { Session } from './session/session.tsx';

/** Hints say when something changed; without one an answer is good for this long. */
const FRESH_MS = 30_000;

const queries = new QueryClient({ defaultOptions: { queries: { staleTime: FRESH_MS, refetchOnWindowFocus: true } } });
const goBack = (path: string): void => history.replaceState(null, '', path);

const place = document.getElementById('root');
if (place === null) throw new Error('the page has no place for the application');
createRoot(place).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <ZoneProvider>
          <Session onReturn={goBack}>
            <RouterProvider router={router} />
          </Session>
        </ZoneProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
