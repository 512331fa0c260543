import { McpServer } from '@jetway/core'

// #region server
let open = false

export const server = new McpServer({ name: 'gate', version: '1.0.0' })

server.addTool({
  name: 'board',
  description: 'Lets a passenger board; there is one while the gate is open',
  visible: () => open,
  handler: () => 'Boarded',
})
server.addResource({ uri: 'gate://state', name: 'state', handler: () => (open ? 'open' : 'closed') })

/** Runs when an event from the airport arrives, not in a call. */
export function setGate(state: boolean): void {
  open = state
  server.notify.toolsChanged()
  server.notify.resourceUpdated('gate://state')
  server.log.info({ open })
}
// #endregion

// #region handle
const weather = server.addResource({ uri: 'gate://weather', name: 'weather', handler: () => 'Calm' })

export const setWeather = (text: string): void => weather.update({ handler: () => text })
// #endregion
