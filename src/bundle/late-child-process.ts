/** What the bundle gives commander for `node:child_process` (build.ts): the same, loaded when it is called. */
const late = () => process.getBuiltinModule('node:child_process');

export default {
  spawn: ((...given: Parameters<ReturnType<typeof late>['spawn']>) => late().spawn(...given)) as ReturnType<
    typeof late
  >['spawn'],
};
