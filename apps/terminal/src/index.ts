export { fillForm } from './form.ts'
export { askForInput } from './input.ts'
export { type AskOptions, Terminal, type TerminalOptions } from './terminal.ts'
export { sanitize, sanitizeLine } from './text.ts'
