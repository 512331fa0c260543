/** A server in shell code, which starts in no time. `before` runs first. */
export const shellServer = (before = ''): string => `${before}
while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=\${line#*'"id":'}
  id=\${id%%[,\\}]*}
  case $line in
    *'"method":"initialize"'*) member='"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}' ;;
    *) member='"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
  echo '{"jsonrpc":"2.0","id":'"$id,$member}"
done
`
