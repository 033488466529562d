/** Finds the imports of a source file in its text. */

/** The imports of a file, in every syntax. Biome enforces single quotes. */
export function importsOf(text: string): string[] {
  const forms =
    /(?:^|;)\s*(?:import|export)\b[^'"`;()]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|;)\s*import\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]/gm
  const found = [...withoutComments(text).matchAll(forms)]
  return found.map(([, from, bare, called]) => from ?? bare ?? called ?? '')
}

/** Removes only comments on separate lines, because others may be part of a string. */
export function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** The files that a file locates relative to itself, to start them as processes or threads or to read them. */
export function locatedFilesOf(text: string): string[] {
  const urls = withoutComments(text).matchAll(
    /new URL\(\s*'(\.[^']+)',\s*import\.meta\.url|import\.meta\.resolve\(\s*'([^']+)'/g,
  )
  return [...urls].map(([, relative, resolved]) => relative ?? resolved ?? '')
}
