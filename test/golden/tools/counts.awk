# names and numbers of tern prof --json that no clock makes
/^  "[a-z]*": \[/ { table = $1; gsub(/[":]/, "", table) }
/^      "name":/ { sub(/^      "name": /, ""); sub(/,$/, ""); name = $0 }
/^      "count":/ { count = $2 + 0 }
/^      "bytes":/ { print table, name, count, $2 + 0 }
