import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The colour of the product: white text on its eighth shade has a contrast of 6.9. */
const water: MantineColorsTuple = [
  '#ecf6fb',
  '#d6eaf4',
  '#a9d3e8',
  '#79bbdc',
  '#52a6d1',
  '#3b99cb',
  '#2787bd',
  '#1874a8',
  '#0f6190',
  '#084a70',
];

/** Greys of the dark scheme, with a little of the water in them. */
const dark: MantineColorsTuple = [
  '#d8dee4',
  '#b9c1c9',
  '#949da6',
  '#66707a',
  '#404952',
  '#2f373e',
  '#252c32',
  '#1b2025',
  '#14181c',
  '#0e1114',
];

/** One place for colours, type and the defaults of components; tokens.css of @weir/page-style has what depends on the scheme. */
export const theme = createTheme({
  colors: { water, dark },
  primaryColor: 'water',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  fontFamily: 'var(--weir-font)',
  fontFamilyMonospace: 'var(--weir-font-mono)',
  headings: { fontWeight: '620', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // By name: an import of each would bring all of them into the first script.
  components: {
    Badge: {
      defaultProps: { variant: 'light', radius: 'sm' },
      styles: { root: { textTransform: 'none', flexShrink: 0, fontWeight: 560 } },
    },
    // Beside the page an open list would belong to no landmark.
    Select: { defaultProps: { comboboxProps: { withinPortal: false } } },
    Autocomplete: { defaultProps: { comboboxProps: { withinPortal: false } } },
    TagsInput: { defaultProps: { comboboxProps: { withinPortal: false } } },
    Table: { defaultProps: { verticalSpacing: 'sm', highlightOnHover: true } },
    // Within the page for the same reason; fixed, so that no box that scrolls cuts it.
    Tooltip: {
      defaultProps: {
        openDelay: 200,
        events: { hover: true, focus: true, touch: true },
        withinPortal: false,
        floatingStrategy: 'fixed',
      },
    },
  },
});
