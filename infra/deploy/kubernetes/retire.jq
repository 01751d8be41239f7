# From a running edge's pod, one that sends what the log on another edge's volume still holds, and retires that log:
# guide/operating/machines.md. It has the settings and the secrets of the edges.
{
  apiVersion, kind,
  metadata: {
    name: "retire",
    namespace: .metadata.namespace,
    labels: { "app.kubernetes.io/name": "retire", "app.kubernetes.io/part-of": "millrace" }
  },
  spec: (.spec | { automountServiceAccountToken, enableServiceLinks, securityContext } + {
    restartPolicy: "OnFailure",
    containers: [
      .containers[0]
      | { image, envFrom, env, resources, securityContext, volumeMounts }
      | . + { name: "retire", args: ["retire", "/var/lib/millrace/log/0"] }
    ],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: $claim } },
      (.volumes[] | select(.name == "tmp"))
    ]
  })
}
