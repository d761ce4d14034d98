import { createContext } from 'react';

/** The one time zone of all pages. */
export const ZoneContext = createContext<string>(Intl.DateTimeFormat().resolvedOptions().timeZone);
