/** The first argument of a process that `jetway dev` starts to run a server. */
export const SERVER_PROCESS = '__server'
