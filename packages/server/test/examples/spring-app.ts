/** Runs the Java example on the Spring, Tomcat and Jackson packages of Debian, without Spring Boot. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const JARS = [
  'spring3-aop',
  'spring3-beans',
  'spring3-context',
  'spring3-core',
  'spring3-expression',
  'spring3-web',
  'spring3-web.servlet',
  'tomcat9-annotations-api',
  'tomcat9-api',
  'tomcat9-catalina',
  'tomcat9-coyote',
  'tomcat9-jaspic-api',
  'tomcat9-jni',
  'tomcat9-juli',
  'tomcat9-servlet-api',
  'tomcat9-util',
  'tomcat9-util-scan',
  'commons-logging',
  'jackson-annotations',
  'jackson-core',
  'jackson-databind',
  'sqlite-jdbc',
].map((name) => `/usr/share/java/${name}.jar`)
const APPLICATION = fileURLToPath(new URL('./java/Application.java', import.meta.url))

export const SPRING_COMMANDS = {
  serve: `java -cp classes:${JARS.join(delimiter)} com.example.platform.Application 3000`,
  push: `java -cp ${JARS.join(delimiter)} HubPush.java POST record.json PATCH change.json`,
}

/** Returns the missing packages; null if none is missing. */
export function findMissingSpring(): string | null {
  const missing = JARS.filter((jar) => !existsSync(jar))
  if (missing.length > 0) {
    return `${missing[0]} is not installed (libspring-web-servlet-java, libtomcat9-java, libjackson2-databind-java, libxerial-sqlite-jdbc-java)`
  }
  try {
    execFileSync('javac', ['--version'], { stdio: 'pipe' })
    return null
  } catch {
    return 'javac is not installed (default-jdk-headless)'
  }
}

/** Compiles with parameter names, as the build of Spring Boot does. */
export function compileSpring(folder: string): void {
  const args = ['-parameters', '-cp', JARS.join(delimiter), '-d', join(folder, 'classes')]
  const sources = [APPLICATION, join(folder, 'HubController.java')]
  execFileSync('javac', [...args, ...sources], { stdio: 'pipe' })
}
