export { approveDevice, type FormPage, formBrowser } from './testing/form-browser.ts';
export { serverFolder } from './testing/server-folder.ts';
