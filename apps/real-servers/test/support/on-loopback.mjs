/** Loaded into a server before its own code: it listens on loopback alone, whatever it asks for, and tells its parent where. */
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function (port, ...rest) {
  this.once('listening', () => process.send?.({ port: this.address().port }))
  return listen.call(
    this,
    Number(port),
    '127.0.0.1',
    ...rest.filter((argument) => typeof argument === 'function'),
  )
}
