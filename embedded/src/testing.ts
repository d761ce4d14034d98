export { approveDevice, type FormPage, formBrowser } from './testing/form-browser.ts';
