/** The first argument that `jetway dev` passes to a process that it starts to run a server. */
export const SERVER_PROCESS = '__server'
