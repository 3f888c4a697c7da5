package config

// RequireDatabase fails when the job database is not named.
func (c Config) RequireDatabase() error {
	return require(map[string]string{"HAEXCEL_DATABASE_URL": c.DatabaseURL}, "the job table is needed here")
}

// RequireWakes fails when wake=sqs lacks a queue.
func (c Config) RequireWakes() error {
	if c.Wake != WakeSQS {
		return nil
	}
	return require(map[string]string{
		"HAEXCEL_NORMAL_QUEUE_URL": c.NormalQueueURL,
		"HAEXCEL_LARGE_QUEUE_URL":  c.LargeQueueURL,
	}, "HAEXCEL_WAKE is sqs")
}

// RequireStorage fails when the chosen storage lacks a setting.
func (c Config) RequireStorage() error {
	needed := map[string]string{}
	switch c.StorageType {
	case StorageLocal:
		needed["HAEXCEL_LOCAL_STORAGE_PATH"] = c.LocalStoragePath
	case StorageNAS:
		needed["HAEXCEL_NAS_STORAGE_PATH"] = c.NASStoragePath
	case StorageS3:
		needed["HAEXCEL_S3_BUCKET"] = c.S3.Bucket
	case StorageNCP:
		needed["HAEXCEL_NCP_BUCKET"] = c.NCP.Bucket
		needed["HAEXCEL_NCP_ENDPOINT"] = c.NCP.Endpoint
		needed["HAEXCEL_NCP_REGION"] = c.NCP.Region
	case StorageAzure:
		needed["HAEXCEL_AZURE_CONTAINER"] = c.Azure.Container
		needed["HAEXCEL_AZURE_CONNECTION_STRING"] = c.Azure.ConnectionString
	case StorageGCP:
		needed["HAEXCEL_GCP_BUCKET"] = c.GCP.Bucket
		needed["HAEXCEL_GCP_PROJECT_ID"] = c.GCP.ProjectID
	}
	return require(needed, "HAEXCEL_STORAGE_TYPE is "+c.StorageType)
}

func require(values map[string]string, why string) error {
	faults := map[string]string{}
	for name, value := range values {
		if value == "" {
			faults[name] = "it is missing: " + why
		}
	}
	return joined(faults)
}
