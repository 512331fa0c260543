export { DELETE, GET, OPTIONS, POST } from '../dist/vercel.js'
