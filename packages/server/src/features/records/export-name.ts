/** The header that names a file to be saved (RFC 6266), of parts that may hold any character. */
export function nameExportFile(parts: string[], ending: string): string {
  const name = ['recordhub', ...parts].map(fileSafe).join('-')
  const ascii = name.replace(/[^\x20-\x7e]/g, '_')
  const encoded = encodeURIComponent(`${name}.${ending}`).replace(/['()*]/g, percent)
  return `attachment; filename="${ascii}.${ending}"; filename*=UTF-8''${encoded}`
}

/** Letters and digits of any script; nothing that a file system or a header minds. */
function fileSafe(part: string): string {
  return part
    .toWellFormed()
    .replace(/[^\p{L}\p{M}\p{N}._]+/gu, '-')
    .slice(0, 60)
    .toWellFormed()
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
